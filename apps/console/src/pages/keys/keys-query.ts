import { type ApiKey, listApiKeys } from '@tideport/sdk'
import { type ListQuery, readList } from '../resource/read-list.ts'

export const keysQuery = (includeRevoked: boolean): ListQuery<ApiKey> => ({
  queryKey: ['keys', { includeRevoked }],
  read: readList('apiKeys', listApiKeys, { includeRevoked }),
})
