import { type InputPart, invalidInput } from '@tideport/service-kit/http/invalid-input'

/** When a file is to go to the trash by itself. Throws 400 for what has passed, which nobody means. */
export function checkEnd(expiresAt: string | null | undefined, part: InputPart): void {
  if (expiresAt == null || Date.parse(expiresAt) > Date.now()) return
  throw invalidInput(part, [{ path: 'expiresAt', message: 'Must lie in the future' }])
}
