import { Router } from 'express';
import type { Context } from '../context';
import type { Limits } from '../limits';

export function answerPages(_context: Context, _limits: Limits): Router {
  return Router();
}
