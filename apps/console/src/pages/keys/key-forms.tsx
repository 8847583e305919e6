import { type ApiKey, type CreateApiKeyInput, createApiKey, revokeApiKey, rotateApiKey } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { toast } from '../../api/toasts.ts'
import { waysIn } from '../../session/start-session.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { asChoices, choicesOf } from '../../ui/field.tsx'
import { chosenIn, type FormField, linesIn, numberIn } from '../../ui/form-fields.tsx'
import { type SecretPart, showSecret } from '../../ui/shown-secrets.ts'
import type { Asked } from '../../ui/use-dialog.tsx'
import { VaultField } from '../vaults/vault-field.tsx'
import { s3Configurations } from './s3-configurations.ts'

type MadeKey = Awaited<ReturnType<typeof createApiKey>>

const changes = ['keys'] as const

function showKey({ name, key, s3 }: MadeKey): void {
  const { app, keys: t } = text.value
  const title = t.createdTitle(isolated(name))
  const paragraphs = s3 === undefined ? [t.createdText] : [t.createdText, t.createdS3Text]
  showSecret({ title, label: app.apiKey, secret: key, paragraphs, more: s3 === undefined ? [] : s3Parts(s3) })
}

function s3Parts(s3: NonNullable<MadeKey['s3']>): SecretPart[] {
  const t = text.value.keys
  const { s3Api } = waysIn
  const parts = [
    { label: t.s3AccessKeyId, value: s3.accessKeyId },
    { label: t.s3Secret, value: s3.secretAccessKey },
  ]
  if (s3Api === null) return parts
  const configurations = Object.entries(s3Configurations(s3Api, s3))
  return [
    { label: t.s3Endpoint, value: s3Api.url },
    ...parts,
    ...configurations.map(([label, value]) => ({ label, value, isFolded: true as const })),
  ]
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
  const { app, keys: t } = text.value
  return {
    title: t.revokeTitle(isolated(name)),
    text: t.revokeText,
    submit: app.revoke,
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

type Scope = NonNullable<CreateApiKeyInput['scopes']>[number]
type Verb = NonNullable<NonNullable<CreateApiKeyInput['limits']>['verbs']>[number]

/** All scopes of docs/reference/http/keys.md; a missing one does not compile. */
const scopes = Object.keys({
  'vaults:read': true,
  'vaults:write': true,
  'files:read': true,
  'files:write': true,
  'links:read': true,
  'links:write': true,
  'webhooks:read': true,
  'webhooks:write': true,
  'keys:read': true,
  'keys:write': true,
  'account:read': true,
} satisfies Record<Scope, true>)

const verbs: readonly Verb[] = ['read', 'upload', 'change', 'delete', 'share']

const megabyte = 1_000_000
const count = { type: 'number', min: 1, step: 1, inputMode: 'numeric' } as const

function keyFields(): FormField[] {
  const { app, keys: t } = text.value
  return [
    { name: 'name', label: app.label, hint: t.nameHint, required: true, maxLength: 100 },
    { name: 'expiresInDays', label: t.days, hint: t.daysHint, ...count, max: 3650 },
    { kind: 'checks', name: 'scopes', label: t.scopes, hint: t.scopesHint, choices: asChoices(scopes) },
    ...(waysIn.s3Api === null ? [] : [{ kind: 'tick', name: 's3', label: t.s3 } as const]),
    { kind: 'fold', name: 'limits', label: t.limits, fields: limitFields() },
  ]
}

function limitFields(): FormField[] {
  const t = text.value.keys
  return [
    { kind: 'own', name: 'vaultIds', shown: <VaultField many /> },
    { kind: 'lines', name: 'prefixes', label: t.prefixes, hint: t.prefixesHint, placeholder: '2026/photos/' },
    { kind: 'checks', name: 'verbs', label: t.verbs, hint: t.verbsHint, choices: choicesOf(verbs, t.verbNames) },
    { name: 'bytesPerDay', label: t.megabytes, hint: t.megabytesHint, ...count, max: 1_000_000_000 },
    { kind: 'lines', name: 'addresses', label: t.addresses, hint: t.addressesHint, placeholder: '192.0.2.0/24' },
  ]
}

function readNewKey(fields: FormData): CreateApiKeyInput {
  const megabytes = numberIn(fields, 'bytesPerDay')
  const limits = {
    vaultIds: chosenIn(fields, 'vaultIds'),
    prefixes: linesIn(fields, 'prefixes'),
    verbs: chosenIn<Verb>(fields, 'verbs'),
    bytesPerDay: megabytes === null ? null : megabytes * megabyte,
    addresses: linesIn(fields, 'addresses'),
  }
  return {
    name: String(fields.get('name')),
    expiresInDays: numberIn(fields, 'expiresInDays'),
    scopes: chosenIn<Scope>(fields, 'scopes'),
    s3: fields.has('s3'),
    limits: Object.values(limits).every((limit) => limit === null) ? null : limits,
  }
}
