"""What builds, installs and checks the project; nothing here takes part in a verdict."""
