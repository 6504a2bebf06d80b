//! Fields of findings and broken rules: each is in every form of report that has a place for it.

use super::*;

/// A report of one finding, whose fields have distinct values. If a field is added to a finding, it must be added here.
#[test]
fn every_field_of_a_finding_is_in_every_report_that_has_a_place_for_it() {
    let exhibit = crate::blame::Exhibit {
        listing: vec!["exhibited".to_owned()],
        marked: vec![0],
        guilty: None,
        note: None,
    };
    for in_text in [true, false] {
        let found = Reported {
            signature: "the-signature".to_owned(),
            isa: "agal".to_owned(),
            claim: "execution".to_owned(),
            message: "the message".to_owned(),
            item: "the item".to_owned(),
            path: Some("the/path".to_owned()),
            line: in_text.then_some(41),
            column: in_text.then_some(42),
            byte_offset: (!in_text).then_some(43),
            byte_length: (!in_text).then_some(44),
            count: 45,
            case: Some("the/case".to_owned()),
            reproduce: Some("the command".to_owned()),
            exhibit: Some(exhibit.clone()),
            detail: "the detail".to_owned(),
        };
        let mut builder = Builder::default();
        builder.add_finding(found.clone());
        let report = builder.finish(Duration::ZERO);
        let mut json = Vec::new();
        report.json(&mut json).expect("memory");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        let json = &json["findings"][0];
        let sarif = sarif(&report, Path::new("/"));
        let sarif = &sarif["runs"][0]["results"][0];
        let place = &sarif["locations"][0];
        let (page, xml) = (html(&report), junit(&report));
        let Reported {
            signature,
            isa,
            claim,
            message,
            item,
            path,
            line,
            column,
            byte_offset,
            byte_length,
            count,
            case,
            reproduce,
            exhibit,
            detail,
        } = found;
        let value = serde_json::json!({
            "signature": signature, "isa": isa, "claim": claim, "message": message, "item": item, "path": path, "line": line,
            "column": column, "byte_offset": byte_offset, "byte_length": byte_length, "count": count, "case": case,
            "reproduce": reproduce, "exhibit": exhibit, "detail": detail,
        });
        assert_eq!(*json, value);
        let region = if in_text {
            serde_json::json!({ "startLine": line, "startColumn": column })
        } else {
            serde_json::json!({ "byteOffset": byte_offset, "byteLength": byte_length })
        };
        assert_eq!(place["physicalLocation"]["region"], region);
        assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "the/path");
        assert_eq!(place["logicalLocations"][0]["name"], item);
        assert_eq!(sarif["ruleId"], claim);
        assert_eq!(sarif["partialFingerprints"]["lockstepSignature/v1"], signature);
        assert_eq!(sarif["message"]["text"], format!("{message}\n\n{detail}"));
        let properties =
            serde_json::json!({ "isa": isa, "count": count, "case": case, "reproduce": reproduce });
        assert_eq!(sarif["properties"], properties);
        for part in [&signature, &message, &item, &detail, "seen 45 times", "the command"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert_eq!(page.contains("the item, line 41"), in_text, "{page}");
        for part in [
            "classname=\"agal\"",
            "name=\"the-signature (the item)\"",
            "type=\"execution\"",
            "message=\"the message\"",
            ">the detail</failure>",
        ] {
            assert!(xml.contains(part), "{part}: {xml}");
        }
    }
}

/// A report of one broken rule, whose fields have distinct values. If a field is added to a violation, it must be added here.
#[test]
fn every_field_of_a_violation_is_in_every_report_that_has_a_place_for_it() {
    for (level, in_text, at) in [(Level::Warning, true, 0), (Level::Error, false, 1)] {
        let broken = crate::legality::LocatedViolation {
            isa: IsaId::Agal,
            entry: Some(at),
            level,
            rule: 47,
            instruction: Some(46),
            line: in_text.then_some(41),
            column: in_text.then_some(42),
            byte_offset: (!in_text).then_some(43),
            byte_length: (!in_text).then_some(44),
            text: Some("the text".to_owned()),
            message: "the message".to_owned(),
            source: "the source".to_owned(),
            sources: vec!["the title".to_owned()],
        };
        let mut builder = Builder::default();
        let violations = vec![broken.clone()];
        builder.add_judgements(vec![Judgement { name: "n".to_owned(), violations, ..judgement(4) }]);
        let report = builder.finish(Duration::ZERO);
        let mut json = Vec::new();
        report.json(&mut json).expect("memory");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        assert_eq!(json["items"][0]["violations"][0], serde_json::to_value(&broken).expect("JSON"));
        let document = sarif(&report, Path::new("/"));
        let run = &document["runs"][0];
        let result = run["results"].as_array().expect("a list").last().expect("a result");
        let (page, xml) = (html(&report), junit(&report));
        let crate::legality::LocatedViolation {
            isa,
            entry,
            level: _,
            rule,
            instruction,
            line,
            column,
            byte_offset,
            byte_length,
            text,
            message,
            source,
            sources,
        } = broken;
        let id = format!("{isa}:{rule}");
        assert_eq!(
            (&result["ruleId"], &result["properties"]),
            (&id.clone().into(), &serde_json::json!({ "isa": isa.name(), "entry": entry }))
        );
        assert_eq!(result["level"], if level == Level::Error { "error" } else { "warning" });
        let region = if in_text {
            serde_json::json!({ "startLine": line, "startColumn": column })
        } else {
            serde_json::json!({ "byteOffset": byte_offset, "byteLength": byte_length })
        };
        let place = &result["locations"][0];
        assert_eq!(place["physicalLocation"]["region"], region);
        assert_eq!(
            place["logicalLocations"][0]["name"],
            format!("n, instruction {}", instruction.expect("a number"))
        );
        let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
        let row = rules.iter().find(|row| row["id"] == *id).expect("a rule");
        assert!(row["shortDescription"]["text"].as_str().expect("text").ends_with(&source));
        assert_eq!(row["help"]["text"], sources[0]);
        let shown = result["message"]["text"].as_str().expect("text");
        let (text, location) = (text.expect("text"), if in_text { "n:41:42" } else { "n" });
        for all in [shown, &page, &xml] {
            for part in [&id, &message, &source, &text, "instruction 46"] {
                assert!(all.contains(part), "{part}: {all}");
            }
            assert_eq!(all.contains("entry 1, "), entry == Some(1), "{all}");
        }
        for all in [&page, &xml] {
            assert!(all.contains(location) && all.contains(&sources[0]), "{location}: {all}");
        }
    }
}
