"""What is kept: every paper as read, every cell as answered, and what people say about them."""
