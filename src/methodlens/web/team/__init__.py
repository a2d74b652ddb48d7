"""A room for a team: members sign in, and each may do what their role allows."""
