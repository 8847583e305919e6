/** Shapes from the specification and the API's design, written independently of the code under test. */

export type Status = 'uploading' | 'hot' | 'synced' | 'cold' | 'error'
export type ErrorBody = { error: string; code: string; details?: Record<string, unknown> }

export type Vault = {
  id: string
  name: string
  description: string
  visibility: string
  slug: string
  isDefault: boolean
  fileCount: number
  storageBytes: number
}

export type Upload = {
  fileId: string
  uploadUrl: string
  method: string
  headers: Record<string, string>
  expiresAt: string
}

export type FileRecord = {
  id: string
  name: string
  mimeType: string
  sizeBytes: number
  vaultId: string
  status: Status
  storageNetworkBlobId: string | null
  error: string | null
  errorCode: string | null
  checksumSha256: string | null
  inHotCache: boolean
  rehydrating: boolean
  hotUntil: string | null
  createdAt: string
}

export type Download = { downloadUrl: string; expiresAt: string; source: 'hot' | 'network' }
export type PublicVault = {
  vault: { id: string; name: string; slug: string }
  files: FileRecord[]
  nextCursor: string | null
}

export type ApiKey = {
  id: string
  name: string
  keyPrefix: string
  parentId: string | null
  scopes: string[] | null
  expiresAt: string | null
  lastUsedAt: string | null
  revoked_at: string | null
}

export type CreatedApiKey = ApiKey & { key: string; s3?: { accessKeyId: string; secretAccessKey: string } }

export type Webhook = { id: string; url: string; events: string[]; active: boolean; disabledReason: string | null }
export type CreatedWebhook = Webhook & { secret: string }

export type Delivery = {
  id: string
  webhookId: string
  event: string
  eventId: string
  attempts: number
  statusCode: number
  success: boolean
  error: string | null
}

export type WebhookBody = {
  event: string
  timestamp: string
  data: {
    fileId: string
    fileName: string
    vaultId: string
    status: Status
    sizeBytes: number
    storageNetworkBlobId?: string
    error?: string
  }
}
