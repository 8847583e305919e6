/**
 * The errors of S3 that the door returns: status, and the message where the thrower has no better one. Messages are those
 * of S3, because clients and suites compare them.
 */
const ERRORS = {
  AccessControlListNotSupported: [400, 'The bucket does not allow ACLs.'],
  AccessDenied: [403, 'Access Denied.'],
  AccessForbidden: [403, 'CORSResponse: This CORS request is not allowed.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'The X-Amz query parameters of the signature are invalid.'],
  BadDigest: [400, 'The Content-MD5 you specified did not match what we received.'],
  BadRequest: [400, 'The request is invalid.'],
  BucketAlreadyExists: [
    409,
    'The requested bucket name is not available. The bucket name can not be an existing collection, and the bucket namespace is shared by all users of the system. Please select a different name and try again.',
  ],
  BucketAlreadyOwnedByYou: [409, 'Your previous request to create the named bucket succeeded and you already own it.'],
  BucketNotEmpty: [409, 'The bucket you tried to delete is not empty.'],
  ConditionalRequestConflict: [409, 'A conflicting operation occurred during the request. Retry the request.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed object size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size'],
  ExpiredToken: [400, 'The provided token has expired.'],
  IllegalLocationConstraintException: [400, 'The location constraint is not the region of this endpoint.'],
  IncompleteBody: [400, 'The request body terminated unexpectedly'],
  InternalError: [500, 'We encountered an internal error, please try again.'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidArgument: [400, 'An argument is invalid.'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidChunkSizeError: [400, 'Only the last chunk is allowed to have a size less than 8192 bytes'],
  InvalidDigest: [400, 'The Content-Md5 you specified is not valid.'],
  InvalidLocationConstraint: [400, 'The specified location-constraint is not valid'],
  InvalidObjectState: [403, 'The operation is not valid for the current state of the object.'],
  InvalidPart: [
    400,
    "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  ],
  InvalidPartNumber: [416, 'The requested partnumber is not satisfiable.'],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order. Parts must be ordered by part number.'],
  InvalidPolicyDocument: [400, 'The content of the form does not meet the conditions of the policy document.'],
  InvalidRange: [416, 'The requested range is not satisfiable'],
  InvalidRedirectLocation: [400, "The website redirect location must have a prefix of 'http://' or 'https://' or '/'."],
  InvalidRequest: [400, 'Invalid Request.'],
  InvalidStorageClass: [400, 'The storage class you specified is not valid'],
  InvalidTag: [400, 'The TagKey you have provided is invalid'],
  InvalidToken: [400, 'The provided token is malformed or otherwise invalid.'],
  InvalidURI: [400, "The specified URI couldn't be parsed."],
  KeyTooLongError: [400, 'Your key is too long.'],
  MalformedACLError: [
    400,
    'The XML you provided was not well-formed or did not validate against our published schema.',
  ],
  MalformedPOSTRequest: [400, 'The body of your POST request is not well-formed multipart/form-data.'],
  MalformedTrailerError: [
    400,
    'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  ],
  MalformedXML: [400, 'The XML you provided was not well-formed or did not validate against our published schema.'],
  MaxMessageLengthExceeded: [400, 'Your request was too big.'],
  MaxPostPreDataLengthExceededError: [400, 'The form fields before the file are too long.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  MissingFields: [403, 'A required field is missing.'],
  MissingRequestBodyError: [400, 'Request Body is empty'],
  MissingSecurityHeader: [400, 'Your request was missing a required header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist.'],
  NoSuchBucketPolicy: [404, 'The bucket policy does not exist.'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'The bucket has no lifecycle configuration.'],
  NoSuchTagSet: [404, 'The TagSet does not exist.'],
  NoSuchUpload: [
    404,
    'The specified multipart upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  ],
  NoSuchVersion: [404, 'The specified version does not exist.'],
  NoSuchWebsiteConfiguration: [404, 'The specified bucket does not have a website configuration'],
  NotImplemented: [501, 'A header you provided implies functionality that is not implemented.'],
  NotModified: [304, 'The object was not modified.'],
  ObjectAlreadyInActiveTierError: [403, 'The object is already in the active tier.'],
  ObjectLockConfigurationNotFoundError: [404, 'Object Lock configuration does not exist for this bucket.'],
  OperationAborted: [409, 'A conflicting operation is in progress. Retry the request.'],
  OwnershipControlsNotFoundError: [404, 'The bucket ownership controls were not found.'],
  PermanentRedirect: [301, 'Use another endpoint for this bucket.'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold.'],
  QuotaExceeded: [403, 'Your request was denied due to quota exceeded.'],
  ReplicationConfigurationNotFoundError: [404, 'The bucket has no replication configuration.'],
  RequestHeaderSectionTooLarge: [400, 'Your request header section exceeds the maximum allowed size.'],
  RequestTimeout: [400, 'The connection was idle for too long.'],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the current time is too large.'],
  RestoreAlreadyInProgress: [409, 'A restore of the object is already in progress.'],
  ServerSideEncryptionConfigurationNotFoundError: [404, 'The bucket has no encryption configuration.'],
  ServiceUnavailable: [503, 'The service is unavailable. Retry the request.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  SlowDown: [503, 'Please reduce your request rate.'],
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
  /** When the client may retry. */
  retryAfterSeconds: number | undefined

  constructor(code: S3ErrorCode, message?: string, fields: S3ErrorFields = {}, options?: ErrorOptions) {
    super(message ?? ERRORS[code][1], options)
    this.name = 'S3Error'
    this.code = code
    this.status = ERRORS[code][0]
    this.fields = fields
  }
}
