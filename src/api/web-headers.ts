/** Nothing but its own files: no inline script or style, nothing from elsewhere, and no text that becomes markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const UNUSED = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'serial',
  'usb',
];

/** Those that the whole API has do the rest: no sniffing, no referrer, a window of its own. */
const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Permissions-Policy': UNUSED.map((feature) => `${feature}=()`).join(', '),
};

/** For files whose name does not change with what is in them. */
export const ASKED_AGAIN = { ...HEADERS, 'Cache-Control': 'no-cache' };

/** For files with a hash of what is in them in their name. */
export const KEPT = { ...HEADERS, 'Cache-Control': 'public, max-age=31536000, immutable' };
