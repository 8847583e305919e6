import type { SecretBox } from '@tideport/service-kit/secrets/secret-box'
import type { OutgoingRequest } from '../outgoing/outgoing.ts'
import { secretOwner } from '../secrets/secret-owner.ts'
import { signatureHeaders } from '../secrets/signature.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'

const USER_AGENT = 'Tideport-Webhooks/0.1.0'

/** The request of one attempt, signed for now. Throws when a secret cannot be decrypted: its key is not configured. */
export function prepareRequest(secretBox: SecretBox, delivery: ClaimedDelivery): OutgoingRequest {
  const owner = secretOwner(delivery)
  const secrets = {
    current: secretBox.open(delivery.secretEncrypted, owner),
    previous: delivery.previousSecretsEncrypted.map((sealed) => secretBox.open(sealed, owner)),
  }
  const timestampSeconds = Math.floor(Date.now() / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    ...signatureHeaders(secrets, { messageId: delivery.eventId, timestampSeconds, body: delivery.body }),
    'x-service-delivery-id': delivery.id,
    ...(delivery.isTest ? { 'x-service-test': 'true' } : {}),
  }
  return { accountId: delivery.accountId, url: delivery.url, headers, body: delivery.body }
}
