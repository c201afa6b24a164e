"""The VM controller's contact with the API server: watches, worlds for the plans, admission."""
