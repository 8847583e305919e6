import type { Locator } from 'playwright-core'

/** Copies the secret that a dialog shows. Without a copy, closing the dialog shows a warning first. */
export async function copy(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: 'Copy' }).click()
  const told = dialog.getByRole('status').filter({ hasText: /^(Copied|The text is selected)/ })
  if ((await told.textContent()) !== 'Copied') await dialog.page().keyboard.press('Control+c')
}
