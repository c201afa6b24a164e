"""`python -m reference_controller.sdn --kubeconfig FILE`."""

from reference_controller.sdn.operator.service import main

if __name__ == "__main__":
    main()
