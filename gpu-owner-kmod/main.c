// SPDX-License-Identifier: GPL-2.0
/*
 * The owner of a GPU for virtual machines: module, PCI driver. It has no ids of
 * its own, so it binds only to what it is told to: driver_override, or new_id.
 */
#include <linux/module.h>

#include "owner.h"

static int vgsp_owner_probe(struct pci_dev *pdev,
			    const struct pci_device_id *id)
{
	return vgsp_owner_device_bind(pdev);
}

static void vgsp_owner_remove(struct pci_dev *pdev)
{
	vgsp_owner_device_unbind(pdev);
}

/*
 * GSP-RM's state and all channels would have to be saved and brought back:
 * not done yet, so the machine stays awake while a card is bound.
 */
static int vgsp_owner_suspend(struct device *dev)
{
	dev_err(dev, "suspend is not supported while the card is bound\n");
	return -EBUSY;
}

static const struct dev_pm_ops vgsp_owner_pm_ops = {
	.suspend = vgsp_owner_suspend,
	.freeze = vgsp_owner_suspend,
	.poweroff = vgsp_owner_suspend,
};

/* The card was reset or fell off the bus behind our back. */
static pci_ers_result_t
vgsp_owner_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct vgsp_owner_device *od = pci_get_drvdata(pdev);

	if (od)
		vgsp_owner_lost(od, "PCI error");
	return PCI_ERS_RESULT_DISCONNECT;
}

static const struct pci_error_handlers vgsp_owner_err_handlers = {
	.error_detected = vgsp_owner_error_detected,
};

static const struct pci_device_id vgsp_owner_ids[] = {
	{ }
};

static struct pci_driver vgsp_owner_driver = {
	.name = VGSP_OWNER_NAME,
	.id_table = vgsp_owner_ids,
	.probe = vgsp_owner_probe,
	.remove = vgsp_owner_remove,
	/* The machine goes down: the card must not write to its memory. */
	.shutdown = vgsp_owner_remove,
	.err_handler = &vgsp_owner_err_handlers,
	.driver.pm = &vgsp_owner_pm_ops,
	.dev_groups = vgsp_owner_groups,
};

static int __init vgsp_owner_init(void)
{
	int ret;

	ret = vgsp_session_init();
	if (ret)
		return ret;
	vgsp_owner_debugfs_init();
	ret = pci_register_driver(&vgsp_owner_driver);
	if (ret) {
		vgsp_owner_debugfs_exit();
		vgsp_session_exit();
	}
	return ret;
}
module_init(vgsp_owner_init);

static void __exit vgsp_owner_fini(void)
{
	pci_unregister_driver(&vgsp_owner_driver);
	vgsp_owner_debugfs_exit();
	vgsp_session_exit();
}
module_exit(vgsp_owner_fini);

MODULE_DESCRIPTION("Owner of a Turing GPU for virtual machines with vgsp-gpu");
MODULE_LICENSE("GPL");
MODULE_FIRMWARE("nvidia/tu102/gsp/gsp-570.144.bin");
MODULE_FIRMWARE("nvidia/tu104/gsp/gsp-570.144.bin");
MODULE_FIRMWARE("nvidia/tu106/gsp/gsp-570.144.bin");
