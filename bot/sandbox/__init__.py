"""What lies outside our process, on loopback: a Slack workspace, a model, a payment provider. For the demo and the tests."""
