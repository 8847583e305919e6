/** What `@tideport/sdk/webhooks` exports: what a receiver needs. */
export { type VerifyOptions, verify, type WebhookEvent, WebhookVerificationError } from './webhooks/verify.ts'
