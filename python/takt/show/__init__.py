"""Results for people: text, JSON, pages, charts."""
