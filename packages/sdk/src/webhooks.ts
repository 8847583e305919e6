/** Exports of `@tideport/sdk/webhooks`: functions for receivers. */
export { type VerifyOptions, verify, type WebhookEvent, WebhookVerificationError } from './webhooks/verify.ts'
