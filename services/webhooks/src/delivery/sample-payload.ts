import { type AnyPayload, anyPayload, type EventType } from '@tideport/contracts/public/webhook-payload'
import { v7 as newId } from 'uuid'

const SAMPLE_SIZE_BYTES = 21
/** CIDv1 of exactly the sample's 21 bytes, "Tideport sample file\n". */
const SAMPLE_BLOB_ID = 'bafkreih7ip2ry7bsqn2trhovrmap7bwztnmvgncttwoeytmxj2eehuvklu'
const LEASE_LEFT_MS = 14 * 86_400_000

/** The payload of a test delivery: shaped like a real event, for a file or vault that does not exist. */
export function samplePayload(event: EventType, at: Date): AnyPayload {
  const data = event.startsWith('vault.') ? sampleVault() : { ...sampleFile(), ...sampleState(event, at) }
  return anyPayload.parse({ event, timestamp: at.toISOString(), data })
}

function sampleVault() {
  const name = { vaultName: 'Sample', slug: 'sample', visibility: 'public', isDefault: false }
  return { vaultId: newId(), ...name, fileCount: 1, storageBytes: SAMPLE_SIZE_BYTES }
}

function sampleFile() {
  return { fileId: newId(), fileName: 'sample.txt', vaultId: newId(), sizeBytes: SAMPLE_SIZE_BYTES }
}

function sampleState(event: EventType, at: Date) {
  const copy = { storageNetworkBlobId: SAMPLE_BLOB_ID, network: 'sample' }
  switch (event) {
    case 'file.hot':
      return { status: 'hot' }
    case 'file.error':
      return { status: 'error', error: 'Sample error message' }
    case 'file.synced':
    case 'file.copied':
      return { status: 'synced', ...copy }
    case 'file.lease_expiring':
      return { status: 'cold', ...copy, leaseExpiresAt: new Date(at.getTime() + LEASE_LEFT_MS).toISOString() }
    default:
      return { status: 'cold', ...copy }
  }
}
