import { type ApiKey, createApiKey, revokeApiKey, rotateApiKey } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { toast } from '../../api/toasts.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { choicesOf } from '../../ui/field.tsx'
import { showSecret } from '../../ui/shown-secrets.ts'
import type { Asked } from '../../ui/use-dialog.tsx'
import { keyFields, readNewKey } from './key-fields.tsx'

type MadeKey = Awaited<ReturnType<typeof createApiKey>>

const changes = ['keys'] as const

function showKey({ name, key }: MadeKey): void {
  const t = text.value.keys
  showSecret({ title: t.createdTitle(isolated(name)), label: t.secret, secret: key, paragraphs: [t.createdText] })
}

export function newKeyForm(): Asked<MadeKey> {
  const t = text.value.keys
  return {
    title: t.createTitle,
    submit: t.create,
    fields: keyFields(),
    run: (fields) => createApiKey(client(), readNewKey(fields)),
    changes,
    onAnswer: showKey,
  }
}

export function revocationForm({ id, name }: ApiKey): Asked {
  const t = text.value.keys
  return {
    title: t.revokeTitle(isolated(name)),
    text: t.revokeText,
    submit: t.revoke,
    danger: true,
    run: () => revokeApiKey(client(), { apiKeyId: id }),
    changes,
    onDone: () => toast(t.revoked(isolated(name))),
  }
}

const overlaps = ['0', '3600', '86400', '604800', '2592000'] as const

export function rotationForm({ id, name }: ApiKey): Asked<MadeKey> {
  const t = text.value.keys
  const overlap = { label: t.overlap, choices: choicesOf(overlaps, t.overlaps), value: '86400' }
  return {
    title: t.rotateTitle(isolated(name)),
    submit: t.rotate,
    text: t.rotateText,
    fields: [{ kind: 'select', name: 'overlapSeconds', ...overlap }],
    run: (fields) => rotateApiKey(client(), { apiKeyId: id, overlapSeconds: Number(fields.get('overlapSeconds')) }),
    changes,
    onAnswer: showKey,
  }
}
