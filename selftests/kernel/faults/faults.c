// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with faults, one of which happens when it is loaded: does the debug kernel tell?
 *
 *	insmod faults.ko fault=none|freed|order|leak|bounds|sleep|race|locked
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *fault = "none";
module_param(fault, charp, 0);
MODULE_PARM_DESC(fault, "which one");

static DEFINE_SPINLOCK(first);
static DEFINE_SPINLOCK(second);

/* What is freed is read. */
static void fault_freed(void)
{
	u32 *number = kzalloc(sizeof(*number), GFP_KERNEL);

	kfree(number);
	OPTIMIZER_HIDE_VAR(number);
	pr_info("faults: %u\n", READ_ONCE(*number));
}

/* Two locks are taken in both orders. */
static void fault_order(void)
{
	spin_lock(&first);
	spin_lock(&second);
	spin_unlock(&second);
	spin_unlock(&first);
	spin_lock(&second);
	spin_lock(&first);
	spin_unlock(&first);
	spin_unlock(&second);
}

/* Nothing points to it any more. */
static noinline void fault_leak(void)
{
	int i;

	for (i = 0; i < 8; i++)
		memset(kmalloc(200, GFP_KERNEL), 1, 200);
}

/* There are no more than 32 bits. */
static void fault_bounds(void)
{
	int bits = 40;

	OPTIMIZER_HIDE_VAR(bits);
	pr_info("faults: %u\n", 1U << bits);
}

/* Whoever holds a spinlock must not sleep. */
static void fault_sleep(void)
{
	spin_lock(&first);
	might_sleep();
	spin_unlock(&first);
}

static u32 shared_number;
static bool with_lock;

static int add_for_a_while(void *unused)
{
	unsigned long end = jiffies + 3 * HZ;

	while (time_before(jiffies, end)) {
		if (with_lock)
			spin_lock(&first);
		shared_number++;
		if (with_lock)
			spin_unlock(&first);
		cond_resched();
	}
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

/* Two processors write the same number, with nothing between them. */
static void fault_race(void)
{
	struct task_struct *tasks[2];
	int i;

	for (i = 0; i < 2; i++) {
		tasks[i] = kthread_run_on_cpu(add_for_a_while, NULL, i, "faults/%u");
		/* Else "locked" would pass without two that meet */
		if (WARN_ON(IS_ERR(tasks[i])))
			break;
	}
	msleep(4000);
	while (i-- > 0)
		kthread_stop(tasks[i]);
}

/* As before, but a lock is between them: no fault. */
static void fault_locked(void)
{
	with_lock = true;
	fault_race();
}

static const struct {
	const char *name;
	void (*happen)(void);
} faults[] = {
	{ "freed", fault_freed },
	{ "order", fault_order },
	{ "leak", fault_leak },
	{ "bounds", fault_bounds },
	{ "sleep", fault_sleep },
	{ "race", fault_race },
	{ "locked", fault_locked },
};

static int __init faults_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (!strcmp(fault, faults[i].name))
			faults[i].happen();
	}
	return 0;
}

static void __exit faults_exit(void)
{
}

module_init(faults_init);
module_exit(faults_exit);
MODULE_DESCRIPTION("Faults for a debug kernel to find");
MODULE_LICENSE("GPL");
