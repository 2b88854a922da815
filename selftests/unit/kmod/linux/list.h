/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of the kernel's lists as pure parts of the modules use. */
#ifndef UNIT_LINUX_LIST_H
#define UNIT_LINUX_LIST_H

#include <linux/types.h>

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	entry->next = head->next;
	entry->prev = head;
	head->next->prev = entry;
	head->next = entry;
}

static inline void list_add_tail(struct list_head *entry, struct list_head *head)
{
	list_add(entry, head->prev);
}

/* Who uses it again afterwards is found out. */
static inline void list_del(struct list_head *entry)
{
	entry->next->prev = entry->prev;
	entry->prev->next = entry->next;
	entry->next = NULL;
	entry->prev = NULL;
}

/* @entry takes the place of @old. */
static inline void list_replace(struct list_head *old, struct list_head *entry)
{
	list_add(entry, old);
	list_del(old);
}

/* All of @list becomes the first part of @head's. */
static inline void list_splice(const struct list_head *list, struct list_head *head)
{
	if (list_empty(list))
		return;
	list->next->prev = head;
	list->prev->next = head->next;
	head->next->prev = list->prev;
	head->next = list->next;
}

#define list_first_entry(head, type, member) container_of((head)->next, type, member)
#define list_first_entry_or_null(head, type, member) \
	(list_empty(head) ? NULL : list_first_entry(head, type, member))
#define list_for_each_entry(entry, head, member) \
	for (entry = container_of((head)->next, __typeof__(*entry), member); \
	     &entry->member != (head); \
	     entry = container_of(entry->member.next, __typeof__(*entry), member))
#define list_for_each_entry_safe(entry, following, head, member) \
	for (entry = container_of((head)->next, __typeof__(*entry), member), \
	     following = container_of(entry->member.next, __typeof__(*entry), member); \
	     &entry->member != (head); \
	     entry = following, \
	     following = container_of(entry->member.next, __typeof__(*entry), member))

#endif
