import { type ApiKey, createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { usePages } from '../../api/use-pages.ts'
import { toast } from '../../app/toasts.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'

const changes = ['keys'] as const

/** Newest first. */
export const useKeys = (includeRevoked: boolean) =>
  usePages([...changes, { includeRevoked }], async ({ cursor, signal }) => {
    const { apiKeys, nextCursor } = await listApiKeys(client(), { cursor, includeRevoked }, { signal }).page()
    return { items: apiKeys, nextCursor }
  })

export const useCreateKey = (onAnswer: (created: { name: string; key: string }) => void) =>
  useChange({ changes, onAnswer, run: (input: Parameters<typeof createApiKey>[1]) => createApiKey(client(), input) })

export const useRotateKey = (onAnswer: (created: { name: string; key: string }) => void) =>
  useChange({ changes, onAnswer, run: (input: Parameters<typeof rotateApiKey>[1]) => rotateApiKey(client(), input) })

export const useRevokeKey = (onClose: () => void) =>
  useChange({
    changes,
    run: ({ id }: ApiKey) => revokeApiKey(client(), { apiKeyId: id }),
    onDone({ name }) {
      onClose()
      toast(text.value.keys.revoked(isolated(name)))
    },
  })
