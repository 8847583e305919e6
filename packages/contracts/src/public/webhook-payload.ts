import { z } from 'zod'
import { fileStatus } from './files.ts'
import { uuid } from './id.ts'
import { visibility } from './vaults.ts'

export const fileStateEvents = ['file.hot', 'file.synced', 'file.cold', 'file.error'] as const
const fileRemovalEvents = ['file.deleted', 'file.restored', 'file.purged'] as const
const fileCopyEvents = ['file.copied', 'file.copy_lost'] as const
const leaseEvents = ['file.lease_expiring'] as const
const vaultEvents = ['vault.created', 'vault.deleted', 'vault.restored'] as const

export const eventTypes = [
  ...fileStateEvents,
  ...fileRemovalEvents,
  ...fileCopyEvents,
  ...leaseEvents,
  ...vaultEvents,
] as const
export const eventType = z.enum(eventTypes)
export type EventType = z.infer<typeof eventType>

function payloadOf<E extends z.ZodType, D extends z.ZodType>(event: E, data: D) {
  return z.object({ event, timestamp: z.iso.datetime({ precision: 3 }), data })
}

const fileData = z.object({
  fileId: uuid,
  fileName: z.string(),
  filePath: z.string().optional().describe('Folders and name; only for files in a folder'),
  vaultId: uuid,
  status: fileStatus,
  sizeBytes: z.int().nonnegative(),
  storageNetworkBlobId: z.string().optional(),
  error: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional().describe('Only for files that have some'),
  tags: z.array(z.string()).optional(),
  sealedMetadata: z.string().optional(),
  expiresAt: z.iso
    .datetime({ precision: 3 })
    .optional()
    .describe('Only for files with an expiry: when the file automatically moves to the trash'),
  replaces: uuid.optional().describe('The file that this file replaced at its path'),
  replacedBy: uuid.optional().describe('The file that replaced this file at its path'),
})

const copyData = fileData.extend({
  network: z.string().describe('Name of the network in this installation'),
  reason: z.string().optional().describe('Why the copy was lost'),
})

const vaultData = z.object({
  vaultId: uuid,
  vaultName: z.string(),
  visibility,
  slug: z.string(),
  isDefault: z.boolean(),
  fileCount: z.int(),
  storageBytes: z.int(),
})

export const webhookPayload = payloadOf(z.enum(fileStateEvents), fileData).meta({ id: 'WebhookPayload' })
const fileRemovalPayload = payloadOf(
  z.enum(fileRemovalEvents),
  fileData.extend({
    reason: z.literal('expired').optional().describe('For `file.deleted` of a file that reached its `expiresAt`'),
  }),
).meta({ id: 'FileRemovalPayload' })
const fileCopyPayload = payloadOf(z.enum(fileCopyEvents), copyData).meta({ id: 'FileCopyPayload' })
const leasePayload = payloadOf(
  z.enum(leaseEvents),
  copyData.extend({ leaseExpiresAt: z.iso.datetime({ precision: 3 }) }),
).meta({ id: 'LeasePayload' })
const vaultPayload = payloadOf(z.enum(vaultEvents), vaultData).meta({ id: 'VaultPayload' })

export const payloads = {
  'file.hot': webhookPayload,
  'file.synced': webhookPayload,
  'file.cold': webhookPayload,
  'file.error': webhookPayload,
  'file.deleted': fileRemovalPayload,
  'file.restored': fileRemovalPayload,
  'file.purged': fileRemovalPayload,
  'file.copied': fileCopyPayload,
  'file.copy_lost': fileCopyPayload,
  'file.lease_expiring': leasePayload,
  'vault.created': vaultPayload,
  'vault.deleted': vaultPayload,
  'vault.restored': vaultPayload,
} as const satisfies Record<EventType, z.ZodType>

export const anyPayload = z.discriminatedUnion('event', [
  webhookPayload,
  fileRemovalPayload,
  fileCopyPayload,
  leasePayload,
  vaultPayload,
])
export type AnyPayload = z.infer<typeof anyPayload>
