import { signal } from '@preact/signals'

/** What an answer told once. */
export interface ShownSecret {
  title: string
  label: string
  secret: string
  /** What it is for, and that it is not shown again. */
  paragraphs: readonly string[]
}

/** Those that nobody has closed yet; the first is shown. Of no page: whoever goes elsewhere, or is signed out, still has it. */
export const shownSecrets = signal<readonly ShownSecret[]>([])

/** Shows a secret above whatever page there is, until it is closed. */
export function showSecret(secret: ShownSecret): void {
  // Once the dialog that asked for it is gone: the focus goes back to where that one was opened.
  queueMicrotask(() => {
    shownSecrets.value = [...shownSecrets.value, secret]
  })
}

export function forgetSecret(secret: ShownSecret): void {
  shownSecrets.value = shownSecrets.value.filter((one) => one !== secret)
}
