import type { Locator } from 'playwright-core'

/** Copies the secret that a dialog shows, as it says: one that was not copied is not closed at once. */
export async function copy(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: 'Copy' }).click()
  const told = dialog.getByRole('status').filter({ hasText: /^(Copied|It is marked)/ })
  if ((await told.textContent()) !== 'Copied') await dialog.page().keyboard.press('Control+c')
}
