import Expressions
import Foundation
import RuleBatch
import RuleEngine
import Testing

@testable import tollgate

/// A run that goes on knows all that the run before had counted and noted.
@Suite struct CheckpointTests {
  private func plan(_ settings: RunSettings) throws -> BatchPlan {
    let config = Config.decode(try Data(contentsOf: URL(filePath: TestFolder.config))).output
    let rules = RuleSet.compile(try #require(config), language: .standard).output
    return try settings.plan(
      try #require(rules), of: config, countsDraws: true, wantsExamples: true)
  }

  private func settings() throws -> RunSettings {
    try RunSettings(
      RecordedValue(
        path: "",
        value: [
          "config": "c", "configHash": "xxh64:0", "dialect": "superscript", "platform": "ios",
          "users": [["path": "u", "bytes": 7]], "now": "2026-03-01T12:00:00Z", "timeZone": "UTC",
          "seed": "s", "assigner": "hash", "layout": "long", "output": "ndjson",
        ]))
  }

  /// A checkpoint in which everything has been counted that can be.
  private func full(_ empty: Value) throws -> Value {
    let report = try #require(empty["report"]).merging(patch: [
      "users": [[0, "u-1"], [3, "u-2"]],
      "rejects": [
        "kinds": [["reason": "no id", "lines": 2, "file": 0, "line": 4]], "others": 1,
      ],
    ])
    return empty.merging(patch: [
      "users": 9, "rejected": 3, "linesInAll": 12, "offset": 400, "lines": 12,
      "notes": [
        "unknownKeys": ["pln": 2], "unknownStatuses": ["PAID": 1], "repeatedKeys": ["user": 1],
        "repeatedPlaces": ["user": "u:3"],
      ],
      "texts": [["column": "user.a", "kind": "bools", "cells": 2]],
      "errors": [
        [
          "placement": "p", "audience": 1, "clause": "a > 1", "code": "no-such-attribute",
          "path": "a", "message": "a is not there", "users": 4, "example": "u-9",
        ]
      ], "report": report, "read": [UserHash().value],
    ])
  }

  @Test func nothingIsForgotten() throws {
    let settings = try settings()
    let plan = try plan(settings)
    let written = try full(Checkpoint(settings, plan: plan).value)
    let read = try #require(Checkpoint(settings, written, plan: plan))
    for member in try #require(written.members) {
      #expect(read.value[member.key] == member.value, "\(member.key)")
    }
  }

  @Test func damagedOnesAreNone() throws {
    let settings = try settings()
    let plan = try plan(settings)
    let good = try full(Checkpoint(settings, plan: plan).value)
    let stream = try #require(good["outcomes"]?["hash"])
    let pending = String(repeating: "00", count: CompressedOutput.memberSize)
    for (key, value) in [
      ("read", [UserHash().value, "x"]), ("errors", [["placement": "p"]]), ("notes", "none"),
      ("texts", [["column": "a"]]), ("numbers", [1]), ("lines", "12"),
      (
        "outcomes",
        [
          "bytes": 0, "hash": stream, "text": ["bytes": 0, "hash": stream],
          "pending": .string(pending),
        ]
      ),
    ] as [(String, Value)] {
      let damaged = good.merging(patch: .members([key: value]))
      #expect(damaged != good)
      #expect(Checkpoint(settings, damaged, plan: plan) == nil, "\(key)")
    }
  }
}
