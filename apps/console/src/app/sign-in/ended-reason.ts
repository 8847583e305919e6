import { ended } from '../../session/session.ts'
import { text } from '../../text/text.ts'

/** Why the last session or attempt to sign in ended. */
export function endedReason(): string {
  const t = text.value.signIn
  const { value } = ended
  if (value === null) return ''
  if (typeof value === 'object') return t.refused(value.refused)
  return { session: t.ended, failed: t.failed, untrusted: t.untrusted }[value]
}
