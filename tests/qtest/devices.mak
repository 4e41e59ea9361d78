# Devices of the emulator that only runs the qtests (scripts/build-qemu asan).
CONFIG_Q35=y
CONFIG_I440FX=y
CONFIG_PCIE_PORT=y
CONFIG_PCI_TESTDEV=y
CONFIG_VTD=y
CONFIG_VGSP_GPU=y
