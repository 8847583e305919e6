import { effect, signal } from '@preact/signals'
import { session } from '../session/session.ts'
import { describeError } from './describe-error.ts'

export interface Toast {
  id: number
  kind: 'done' | 'error'
  message: string
  action?: { label: string; run: () => void } | undefined
}

const shownMax = 4
const shownMs = 6_000
let lastId = 0

export const toasts = signal<readonly Toast[]>([])

// Notices name the user's data, and their actions run as the user.
effect(() => {
  if (session.value === null) toasts.value = []
})

/** Notices without an action disappear after some seconds. */
export function toast(message: string, action?: Toast['action']): void {
  const id = add({ kind: 'done', message, action })
  if (action === undefined) setTimeout(() => dismissToast(id), shownMs)
}

export function toastError(error: unknown): void {
  toastFailure(describeError(error))
}

export function toastFailure(message: string): void {
  add({ kind: 'error', message })
}

export function dismissToast(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id)
}

function add(one: Omit<Toast, 'id'>): number {
  lastId += 1
  toasts.value = [...toasts.value, { ...one, id: lastId }].slice(-shownMax)
  return lastId
}
