import { z } from 'zod'
import { fileStatus } from './files.ts'

/** The events a webhook can subscribe to (spec §6). */
export const eventTypes = ['file.hot', 'file.synced', 'file.cold', 'file.error'] as const
export const eventType = z.enum(eventTypes)
export type EventType = z.infer<typeof eventType>

/** The JSON body that receivers get (spec §6). */
export const webhookPayload = z
  .object({
    event: eventType,
    timestamp: z.iso.datetime({ precision: 3 }),
    data: z.object({
      fileId: z.uuid(),
      fileName: z.string(),
      vaultId: z.uuid(),
      status: fileStatus,
      sizeBytes: z.int().nonnegative(),
      storageNetworkBlobId: z.string().optional(),
      error: z.string().optional(),
    }),
  })
  .meta({ id: 'WebhookPayload' })

export type WebhookPayload = z.infer<typeof webhookPayload>
