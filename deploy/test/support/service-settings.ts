import type { z } from 'zod'
import { settings as auth } from '../../../services/auth/src/config.ts'
import { settings as eviction } from '../../../services/eviction/src/config.ts'
import { settings as files } from '../../../services/files/src/config.ts'
import { settings as gateway } from '../../../services/gateway/src/config.ts'
import { settings as sync } from '../../../services/sync/src/config.ts'
import { settings as webhooks } from '../../../services/webhooks/src/config.ts'

/** The settings of each service, checked as the service does. */
export const serviceSettings: Record<string, z.ZodObject> = { auth, eviction, files, gateway, sync, webhooks }
