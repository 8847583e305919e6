import { positionParts } from '@tideport/service-kit/http/list-cursor'
import { z } from 'zod'

export const position = z.object({ createdAt: positionParts.time, id: positionParts.id })

export type Position = z.infer<typeof position>
