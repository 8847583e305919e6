import { positionParts } from '@tideport/service-kit/http/list-cursor'
import { z } from 'zod'

/** Where a page of webhooks or deliveries ends. */
export const position = z.object({ createdAt: positionParts.time, id: positionParts.id })

export type Position = z.infer<typeof position>
