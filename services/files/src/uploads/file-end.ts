import { invalid } from './label-fields.ts'

/** When a file is to go to the trash by itself. Throws 400 for what has passed, which nobody means. */
export function checkEnd(expiresAt: string | null | undefined): void {
  if (expiresAt == null || Date.parse(expiresAt) > Date.now()) return
  throw invalid('expiresAt', 'Must lie in the future')
}
