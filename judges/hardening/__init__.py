"""What makes a judge hard to fool, beside the fences of its prompts."""
