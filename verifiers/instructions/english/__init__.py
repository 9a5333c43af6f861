"""What the constraints know of English: sentences, words, syllables, stop words, verbs. Linear in the text."""
