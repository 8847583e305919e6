import type { EventType, WebhookPayload } from '@tideport/contracts/public/webhook-payload'
import { v7 as newId } from 'uuid'

const SAMPLE_SIZE_BYTES = 21
/** CIDv1 of exactly the sample's 21 bytes, "Tideport sample file\n". */
const SAMPLE_BLOB_ID = 'bafkreih7ip2ry7bsqn2trhovrmap7bwztnmvgncttwoeytmxj2eehuvklu'

/** What a test delivery sends: shaped like the real event, about a file that does not exist. */
export function samplePayload(event: EventType, at: Date): WebhookPayload {
  return {
    event,
    timestamp: at.toISOString(),
    data: {
      fileId: newId(),
      fileName: 'sample.txt',
      vaultId: newId(),
      ...sampleState(event),
      sizeBytes: SAMPLE_SIZE_BYTES,
    },
  }
}

function sampleState(event: EventType): Pick<WebhookPayload['data'], 'status' | 'storageNetworkBlobId' | 'error'> {
  switch (event) {
    case 'file.hot':
      return { status: 'hot' }
    case 'file.synced':
      return { status: 'synced', storageNetworkBlobId: SAMPLE_BLOB_ID }
    case 'file.cold':
      return { status: 'cold', storageNetworkBlobId: SAMPLE_BLOB_ID }
    case 'file.error':
      return { status: 'error', error: 'This is a sample of a failure' }
  }
}
