/** The errors of S3 that the door returns: status, and the message where the thrower has no better one. */
const ERRORS = {
  AccessControlListNotSupported: [400, 'The bucket does not allow ACLs.'],
  AccessDenied: [403, 'Access denied.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'The X-Amz query parameters of the signature are invalid.'],
  BadDigest: [400, 'The Content-MD5 or checksum value that you specified does not match what the server received.'],
  BadRequest: [400, 'The request is invalid.'],
  BucketAlreadyExists: [409, 'The requested bucket name is not available.'],
  BucketAlreadyOwnedByYou: [409, 'The bucket already exists, and you own it.'],
  BucketNotEmpty: [409, 'The bucket that you tried to delete is not empty.'],
  ConditionalRequestConflict: [409, 'A conflicting operation occurred during the request. Retry the request.'],
  CORSResponse: [403, 'This CORS request is not allowed.'],
  EntityTooLarge: [400, 'The upload exceeds the maximum allowed size.'],
  EntityTooSmall: [400, 'The upload is smaller than the minimum allowed size.'],
  ExpiredToken: [400, 'The provided token has expired.'],
  IllegalLocationConstraintException: [400, 'The location constraint is not the region of this endpoint.'],
  IncompleteBody: [400, 'The request body terminated unexpectedly'],
  InternalError: [500, 'An internal error occurred. Retry the request.'],
  InvalidAccessKeyId: [403, 'The access key ID does not exist.'],
  InvalidArgument: [400, 'An argument is invalid.'],
  InvalidBucketName: [400, 'The bucket name is not valid.'],
  InvalidChunkSizeError: [400, 'Only the last chunk is allowed to have a size less than 8192 bytes'],
  InvalidDigest: [400, 'The Content-MD5 or checksum value that you specified is not valid.'],
  InvalidLocationConstraint: [400, 'The location constraint is not valid.'],
  InvalidObjectState: [403, 'The operation is not valid for the storage class of the object.'],
  InvalidPart: [400, 'A part was not found, or its entity tag does not match.'],
  InvalidPartNumber: [416, 'The requested part number cannot be satisfied.'],
  InvalidPartOrder: [400, 'The list of parts is not in ascending order of part numbers.'],
  InvalidPolicyDocument: [400, 'The content of the form does not meet the conditions of the policy document.'],
  InvalidRange: [416, 'The requested range cannot be satisfied.'],
  InvalidRequest: [400, 'The request is invalid.'],
  InvalidStorageClass: [400, 'The storage class is not valid.'],
  InvalidTag: [400, 'A tag is not valid.'],
  InvalidToken: [400, 'The provided token is malformed or otherwise invalid.'],
  InvalidURI: [400, 'The URI cannot be parsed.'],
  KeyTooLongError: [400, 'The key is longer than 1,024 bytes.'],
  MalformedACLError: [400, 'The ACL document is not valid.'],
  MalformedPOSTRequest: [400, 'The body of the POST request is not valid multipart/form-data.'],
  MalformedTrailerError: [
    400,
    'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  ],
  MalformedXML: [400, 'The XML document is not valid.'],
  MaxMessageLengthExceeded: [400, 'The request is too long.'],
  MaxPostPreDataLengthExceededError: [400, 'The form fields before the file are too long.'],
  MetadataTooLarge: [400, 'The metadata headers exceed 2 KB.'],
  MethodNotAllowed: [405, 'The method is not allowed for this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  MissingFields: [403, 'A required field is missing.'],
  MissingRequestBodyError: [400, 'The request needs a body.'],
  MissingSecurityHeader: [400, 'A required header is missing.'],
  NoSuchBucket: [404, 'The bucket does not exist.'],
  NoSuchBucketPolicy: [404, 'The bucket has no policy.'],
  NoSuchCORSConfiguration: [404, 'The bucket has no CORS configuration.'],
  NoSuchKey: [404, 'The key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'The bucket has no lifecycle configuration.'],
  NoSuchTagSet: [404, 'The bucket has no tags.'],
  NoSuchUpload: [404, 'The upload does not exist. It may have been completed or aborted.'],
  NoSuchVersion: [404, 'The version does not exist.'],
  NoSuchWebsiteConfiguration: [404, 'The bucket has no website configuration.'],
  NotImplemented: [501, 'This server does not implement the requested function.'],
  NotModified: [304, 'The object was not modified.'],
  ObjectAlreadyInActiveTierError: [403, 'The object is already in the active tier.'],
  ObjectLockConfigurationNotFoundError: [404, 'The bucket has no Object Lock configuration.'],
  OperationAborted: [409, 'A conflicting operation is in progress. Retry the request.'],
  OwnershipControlsNotFoundError: [404, 'The bucket has no ownership controls.'],
  PermanentRedirect: [301, 'Use another endpoint for this bucket.'],
  PreconditionFailed: [412, 'At least one of the preconditions that you specified did not hold.'],
  ReplicationConfigurationNotFoundError: [404, 'The bucket has no replication configuration.'],
  RequestHeaderSectionTooLarge: [400, 'The request headers and query exceed the maximum allowed size.'],
  RequestTimeout: [400, 'The connection was idle for too long.'],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the current time is too large.'],
  RestoreAlreadyInProgress: [409, 'A restore of the object is already in progress.'],
  ServerSideEncryptionConfigurationNotFoundError: [404, 'The bucket has no encryption configuration.'],
  ServiceUnavailable: [503, 'The service is unavailable. Retry the request.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  SlowDown: [503, 'Reduce your request rate.'],
  TooManyBuckets: [400, 'You have the maximum number of buckets.'],
  UnexpectedContent: [400, 'This request does not support content.'],
  UserKeyMustBeSpecified: [400, 'The form must have a field named key.'],
  XAmzContentSHA256Mismatch: [400, "The provided 'x-amz-content-sha256' header does not match what was computed."],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type S3ErrorCode = keyof typeof ERRORS

/** Further elements of the error document, such as `Region`. */
export type S3ErrorFields = Readonly<Record<string, string>>

export class S3Error extends Error {
  readonly code: S3ErrorCode
  readonly status: number
  readonly fields: S3ErrorFields

  constructor(code: S3ErrorCode, message?: string, fields: S3ErrorFields = {}, options?: ErrorOptions) {
    super(message ?? ERRORS[code][1], options)
    this.name = 'S3Error'
    this.code = code
    this.status = ERRORS[code][0]
    this.fields = fields
  }
}
