import { effect, signal } from '@preact/signals'
import { session } from '../session/session.ts'
import { describeError } from './describe-error.ts'

export interface Toast {
  id: number
  kind: 'done' | 'error'
  message: string
  /** What can still be done about it, such as undo. */
  action?: { label: string; run: () => void } | undefined
}

const shownMax = 4
const shownMs = 6_000
let lastId = 0

export const toasts = signal<readonly Toast[]>([])

// They name what is somebody's, and take it back as whoever is signed in.
effect(() => {
  if (session.value === null) toasts.value = []
})

/** Tells what was done, for some seconds; what offers an action, and what failed, stays until it is dismissed. */
export function toast(message: string, action?: Toast['action']): void {
  const id = add({ kind: 'done', message, action })
  if (action === undefined) setTimeout(() => dismissToast(id), shownMs)
}

export function toastError(error: unknown): void {
  toastFailure(describeError(error))
}

/** Tells what could not be done, in a sentence. */
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
