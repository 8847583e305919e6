import { type Recipients, sealVaultKey } from '@tideport/sdk/crypto'
import type { Context } from '../grammar/context.ts'
import { readSecret } from '../terminal/ask.ts'
import { UsageError } from '../terminal/failures.ts'

export interface Sealing {
  recipient: string[]
  passphraseStdin: boolean
}

export const sealingOptions = {
  recipient: {
    type: 'string',
    value: 'AGE1…',
    multiple: true,
    summary: 'age recipient that can open the key; repeatable',
  },
  passphraseStdin: { type: 'boolean', summary: 'Read the passphrase from stdin' },
} as const

/** Reads the recipients of the age file before anything is created. */
export async function chooseRecipients(context: Context, { recipient, passphraseStdin }: Sealing): Promise<Recipients> {
  if (recipient.length > 0) {
    // Rejects an invalid recipient before anything is created.
    await sealVaultKey(new Uint8Array(32), { recipients: recipient })
    return { recipients: recipient }
  }
  const { TIDEPORT_PASSPHRASE } = context.environment
  if (!passphraseStdin && TIDEPORT_PASSPHRASE) return { passphrase: TIDEPORT_PASSPHRASE }
  const hint = 'pipe it to stdin with --passphrase-stdin, set TIDEPORT_PASSPHRASE, or use --recipient'
  const passphrase = await readSecret(context, 'New passphrase', passphraseStdin, hint, true)
  if (passphrase === '') throw new UsageError('The passphrase is empty')
  if (!passphraseStdin && (await readSecret(context, 'Repeat the passphrase', false, hint, true)) !== passphrase) {
    throw new Error('The two passphrases do not match')
  }
  return { passphrase }
}
