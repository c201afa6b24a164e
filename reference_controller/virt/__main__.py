"""`python -m reference_controller.virt --kubeconfig FILE`."""

from reference_controller.virt.operator.service import main

if __name__ == "__main__":
    main()
