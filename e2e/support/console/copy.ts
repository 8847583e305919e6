import type { Locator } from 'playwright-core'

/** Copies the secret that a dialog shows, and waits until it says so: one that was not copied is not closed at once. */
export async function copy(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await dialog
    .getByRole('status')
    .filter({ hasText: /^(Copied|It is marked)/ })
    .waitFor()
}
