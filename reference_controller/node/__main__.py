"""`python -m reference_controller.node --kubeconfig FILE --node NAME ...`."""

from reference_controller.node.agent.service import main

if __name__ == "__main__":
    main()
