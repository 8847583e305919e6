/** When a URL ends that was signed at `signedAt`: signatures know whole seconds only. */
export function expiryOf(signedAt: Date, lifetimeSeconds: number): Date {
  return new Date((Math.floor(signedAt.getTime() / 1000) + lifetimeSeconds) * 1000)
}
