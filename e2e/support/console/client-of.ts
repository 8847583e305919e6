import { createApiClient } from '../api-client.ts'
import { sharedStack } from '../shared-stack.ts'

export const clientOf = (who: string) =>
  createApiClient(sharedStack().gatewayUrls[0] as string, { 'X-Dev-Provider-Id': who })
