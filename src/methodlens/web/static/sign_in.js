// Moves the token from the sign-in link to the form. Without scripts, it is pasted.

function takeToken() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.search);
  document.getElementById("token").value = token;
  document.getElementById("filled").hidden = false;
  document.querySelector("button").focus();
}

takeToken();
addEventListener("hashchange", takeToken); // the link was opened on this page
