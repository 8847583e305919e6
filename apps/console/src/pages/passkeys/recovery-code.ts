import { text } from '../../text/text.ts'
import { showSecret } from '../../ui/shown-secrets.ts'

export function showRecoveryCode(secret: string): void {
  const t = text.value.owner
  showSecret({ title: t.codeTitle, label: t.recoveryCode, secret, paragraphs: [t.codeText] })
}
