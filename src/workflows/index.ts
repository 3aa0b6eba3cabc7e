export { conversation } from './conversation';
export { delivery } from './delivery';
