"""A page of results: one document model, written as HTML or Markdown, with its charts as SVG."""
