import { z } from 'zod'
import { uuid } from './id.ts'
import { instant } from './list.ts'

/** The kinds and methods that this version writes. Newer processes may write others, so responses contain any text. */
const auditKinds = [
  'account.created',
  'owner.created',
  'passkey.added',
  'passkey.renamed',
  'passkey.deleted',
  'recovery_code.replaced',
  'key.created',
  'key.revoked',
  'key.rotated',
  'key.shortened',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.disabled',
  'webhook.secret_rotated',
] as const
export type AuditKind = (typeof auditKinds)[number]

const auditMethods = [
  'api_key',
  'jwt',
  'passkey',
  'recovery_code',
  'set_up',
  'development',
  'link',
  'operator',
  'system',
  'job',
] as const
export type AuditMethod = (typeof auditMethods)[number]

const open = (known: readonly string[]) =>
  z.string().describe(`${known.map((word) => `\`${word}\``).join(', ')}; others may be added`)

/** For filters, which accept kinds that only other versions know. */
export const eventKind = z
  .string()
  .regex(/^[a-z_]{1,32}\.[a-z_]{1,32}$/, { error: 'Must be a kind, e.g. file.deleted' })

/** The visible part of the credential. Operators and `system` have none. */
export const auditActor = z.object({
  method: open(auditMethods),
  keyId: uuid.nullable(),
  keyPrefix: z.string().nullable().describe('The first characters of the API key'),
  subject: z.string().nullable().describe('The user’s ID at the identity provider'),
  jobId: uuid.optional().describe('With `job`: the job that acted for the caller'),
  linkId: uuid.optional().describe('The link that an unauthenticated client used'),
})

export interface AuditActor extends z.infer<typeof auditActor> {
  method: AuditMethod
}

export const auditOrigin = z.object({
  actor: auditActor,
  clientAddress: z.string().nullable().describe('IP address that the gateway saw'),
  requestId: z.string().nullable().describe('Null without a request'),
})
export interface AuditOrigin extends z.infer<typeof auditOrigin> {
  actor: AuditActor
}

/** One entry of the log. Never a secret, a key, or a URL. */
export const auditEvent = auditOrigin.extend({
  id: uuid,
  kind: open(auditKinds),
  subjectId: uuid.describe('The account, key, passkey, or webhook concerned'),
  at: instant,
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])),
})
export type AuditEvent = z.infer<typeof auditEvent>

/** Details of an event of a file or vault: tags are a list, metadata are pairs. */
export const eventDetails = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string()), z.record(z.string(), z.string())]),
)

export const fileEvent = auditOrigin.extend({
  id: uuid,
  kind: z.string().describe('e.g. `file.deleted` or `vault.changed`, as in timelines; new kinds may be added'),
  subject: z
    .enum(['file', 'vault', 'account'])
    .describe('`account`: all of its files, e.g. for an export to a bucket or a job of the account'),
  subjectId: uuid.describe('The file or vault concerned, which may be purged, or the account'),
  at: instant,
  details: eventDetails.describe('The state at that time, or the changes'),
})
