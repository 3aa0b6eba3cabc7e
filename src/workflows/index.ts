export { conversation } from './conversation';
export { courier } from './courier';
