import type { Bundle } from './bundle.ts'

/** Has the bundle sign its upload URLs a minute before the last moment at which they would still be valid. */
export function issueExpiredUrls({ hotTier, config }: Bundle): Disposable {
  const { presignObject, presignPart } = hotTier
  const earlier = <Url extends { signedAt: Date }>(url: Url): Url => ({
    ...url,
    signedAt: new Date(url.signedAt.getTime() - (config.uploadUrlSeconds + 60) * 1000),
  })
  hotTier.presignObject = (url) => presignObject(earlier(url))
  hotTier.presignPart = (url) => presignPart(earlier(url))
  return { [Symbol.dispose]: () => void Object.assign(hotTier, { presignObject, presignPart }) }
}
