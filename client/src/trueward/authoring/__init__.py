"""What the author of a verifier needs: its contract, the suite that it has to pass, and hostile samples."""
