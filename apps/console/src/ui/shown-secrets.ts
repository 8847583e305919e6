import { signal } from '@preact/signals'

export interface SecretPart {
  label: string
  value: string
  /** Shown when the user opens it. */
  isFolded?: true
}

export interface ShownSecret {
  title: string
  label: string
  secret: string
  paragraphs: readonly string[]
  /** Further texts to copy. */
  more?: readonly SecretPart[]
}

/** Not part of a page: navigation and sign-out keep it open. */
export const shownSecrets = signal<readonly ShownSecret[]>([])

export function showSecret(secret: ShownSecret): void {
  // After the calling dialog has closed, so that the focus returns to its opener.
  queueMicrotask(() => {
    shownSecrets.value = [...shownSecrets.value, secret]
  })
}

export function forgetSecret(secret: ShownSecret): void {
  shownSecrets.value = shownSecrets.value.filter((one) => one !== secret)
}
